"""Linear, boosted and neural models as ONNX, compared with ``predict`` by running them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..arrays import dense
from ..data.ranking_data import RankingData
from ..errors import InputError, needs
from .models import check_model

_OPSET, _ML = 15, 3
TOLERANCE = 1e-5


def to_onnx(model: Any, *, name: str = "rankine", data: Any = None) -> bytes:
    """A model as ONNX: input ``features`` (rows × features, float32), output ``scores``.

    With ``data`` the result is run on it and compared with ``predict``; a difference above 1e-5 (of the range of the
    scores, if that is above 1) is an error.
    """
    onnx = needs("onnx", "export")
    model = check_model(model, "onnx")
    graph = _trees(onnx, model, name) if model.form == "trees" else _layers(onnx, model, name)
    onnx.checker.check_model(graph)
    content = bytes(graph.SerializeToString())
    if model.form == "trees":  # converters pass over types of trees that they do not know
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(300, model.n_features_in_)) * rng.choice([0.0, 1.0, 100.0], (300, model.n_features_in_))
        check(content, model, rows.astype(np.float32))
    if data is not None:
        check(content, model, data)
    return content


def run(content: bytes, X: Any) -> np.ndarray:
    """The scores that an exported model gives to rows."""
    runtime = needs("onnxruntime", "export")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(["scores"], {"features": dense(X, np.float32)})[0], np.float64).reshape(-1)


def check(content: bytes, model: Any, data: Any) -> float:
    """The largest difference to ``predict`` on this data, as a share of the range of the scores; large is an error."""
    X = model.conform(data).X if isinstance(data, RankingData) else np.asarray(data)
    plain = RankingData(X, np.zeros(X.shape[0]), np.zeros(X.shape[0]))
    want, got = model.predict(plain), run(content, X)
    worst = float(np.abs(want - got).max()) / max(float(np.ptp(want)), 1.0)
    if not worst <= TOLERANCE:
        raise InputError(
            f"the exported model differs from the original by {worst:.2g} of its scores' range; not written"
        )
    return worst


def _layers(onnx: Any, model: Any, name: str) -> Any:
    """Normaliser, linear layers, rectifiers; computed in double precision inside."""
    helper, numpy_helper, tensor = onnx.helper, onnx.numpy_helper, onnx.TensorProto
    nodes = [helper.make_node("Cast", ["features"], ["x"], to=tensor.DOUBLE)]
    constants, at, layers = [], "x", model.layers()

    def constant(label: str, value: np.ndarray) -> str:
        constants.append(numpy_helper.from_array(np.asarray(value, np.float64), label))
        return label

    if model.normaliser_ is not None:
        shift, scale = constant("shift", model.normaliser_.shift_), constant("scale", model.normaliser_.scale_)
        nodes += [helper.make_node("Sub", [at, shift], ["centred"]), helper.make_node("Mul", ["centred", scale], ["z"])]
        at = "z"
    for i, (weights, bias) in enumerate(layers):
        nodes.append(helper.make_node("MatMul", [at, constant(f"w{i}", weights.T)], [f"m{i}"]))
        at = f"m{i}"
        if bias is not None:
            nodes.append(helper.make_node("Add", [at, constant(f"b{i}", bias)], [f"a{i}"]))
            at = f"a{i}"
        if i + 1 < len(layers):
            nodes.append(helper.make_node("Relu", [at], [f"r{i}"]))
            at = f"r{i}"
    nodes.append(helper.make_node("Cast", [at], ["column"], to=tensor.FLOAT))
    flat = numpy_helper.from_array(np.array([-1], np.int64), "flat")
    nodes.append(helper.make_node("Reshape", ["column", "flat"], ["scores"]))
    width = model.n_features_in_
    graph = helper.make_graph(
        nodes, name, [helper.make_tensor_value_info("features", tensor.FLOAT, [None, width])],
        [helper.make_tensor_value_info("scores", tensor.FLOAT, [None])], [*constants, flat],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=9)


def _trees(onnx: Any, model: Any, name: str) -> Any:
    """A tree ensemble by onnxmltools, its input and output renamed, a normaliser put before it.

    onnxmltools refuses LightGBM's models with an objective of one's own, though the trees are all that it needs: raw
    scores are sums of leaves. So the converter is shown the same trees under the name of an objective it knows, whose
    raw scores are the same sums.
    """
    tools = needs("onnxmltools", "export")
    from onnxmltools.convert.common.data_types import FloatTensorType

    if model.categorical:
        raise InputError("trees with categorical features cannot be exported to onnx: the converters refuse them")
    types = [("features", FloatTensorType([None, model.n_features_in_]))]
    try:
        return _renamed(onnx, model, _converted(tools, model, name, types))
    except (KeyError, ValueError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"onnxmltools refuses trees of this type ({type(error).__name__}: {error})") from None


def _converted(tools: Any, model: Any, name: str, types: Any) -> Any:
    if model.library_ == "lightgbm":
        lgb = needs("lightgbm", "boost")
        text = model.booster_.model_to_string(num_iteration=model.n_trees_)
        text = re.sub(r"^(objective|tree_sizes)=.*\n", "", text, flags=re.M).replace(
            "[objective: custom]", "[objective: regression]"
        )
        text = text.replace("\nfeature_names=", "\nobjective=regression\nfeature_names=", 1)
        text = re.sub(r"^threshold=(.*)$", lambda match: f"threshold={_single(match[1])}", text, flags=re.M)
        booster = lgb.Booster(model_str=text)
        return tools.convert_lightgbm(booster, name=name, initial_types=types, target_opset=_OPSET)
    booster = model.booster_[: model.n_trees_]
    booster.feature_names = None
    return tools.convert_xgboost(booster, name=name, initial_types=types, target_opset=_OPSET)


def _single(thresholds: str) -> str:
    """Thresholds as the largest numbers of single precision that are not larger: x ≤ t is the same for single x.

    The converter would round them to the nearest, and put values between the two on the wrong side.
    """
    values = np.array([float(t) for t in thresholds.split()])
    near = values.astype(np.float32)
    down = np.where(near > values, np.nextafter(near, np.float32(-np.inf)), near)
    return " ".join(repr(float(t)) for t in down)


def _renamed(onnx: Any, model: Any, converted: Any) -> Any:
    """Output ``scores`` as a row, and the normaliser in front."""
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    graph = converted.graph
    old = graph.output[0].name
    nodes, constants = list(graph.node), list(graph.initializer)
    if model.normaliser_ is not None:
        shift, scale = model.normaliser_.shift_, model.normaliser_.scale_
        assert shift is not None
        assert scale is not None
        # in double precision, as the model does it: trees ask which side of a threshold a value is on
        constants += [numpy_helper.from_array(shift, "shift"), numpy_helper.from_array(scale, "scale")]
        for node in nodes:
            for i, source in enumerate(node.input):
                if source == "features":
                    node.input[i] = "z"
        nodes = [
            helper.make_node("Cast", ["features"], ["x"], to=onnx.TensorProto.DOUBLE),
            helper.make_node("Sub", ["x", "shift"], ["centred"]),
            helper.make_node("Mul", ["centred", "scale"], ["scaled"]),
            helper.make_node("Cast", ["scaled"], ["z"], to=onnx.TensorProto.FLOAT),
            *nodes,
        ]
    constants.append(numpy_helper.from_array(np.array([-1], np.int64), "flat_shape"))
    nodes.append(helper.make_node("Reshape", [old, "flat_shape"], ["scores"]))
    output = helper.make_tensor_value_info("scores", onnx.TensorProto.FLOAT, [None])
    final = helper.make_graph(nodes, graph.name, list(graph.input), [output], constants)
    imports = {o.domain: o.version for o in converted.opset_import}
    imports.setdefault("", _OPSET)
    return helper.make_model(final, opset_imports=[helper.make_opsetid(d, v) for d, v in imports.items()], ir_version=9)
