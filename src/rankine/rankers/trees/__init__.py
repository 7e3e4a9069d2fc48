"""Trees of LightGBM and XGBoost: as engines, and as text that is checked"""
