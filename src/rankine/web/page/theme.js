// Sets the theme before the first paint. Runs before the page's modules.
(() => {
  let theme = "";
  try { theme = localStorage.getItem("rankine-theme") || ""; } catch { /* no storage: the system decides */ }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
