"""One small file of every format."""

import struct

import numpy as np

from ..cases import SLF

LATTICE4 = (
    b"u1 "
    + struct.pack("<i", 2125659606)
    + b"".join(struct.pack("<i", len(t)) + t for t in (b"vector", b"lattice4"))
    + struct.pack("<iiQqqq", 2, 0, 3, 0, 4, 4)
    + struct.pack("<ffq", np.inf, np.inf, 2)
    + struct.pack("<iiffi", 5, 1, 1.0, 2.0, 1)
    + struct.pack("<iiffi", 5, 2, 0.5, 2.0, 1)
    + struct.pack("<ffq", np.inf, np.inf, 1)
    + struct.pack("<iiffi", 6, 0, 0.0, 1.0, 2)
    + struct.pack("<ffq", np.inf, np.inf, 1)
    + struct.pack("<iiffi", 7, 3, 0.0, 1.0, 3)
    + struct.pack("<ffq", 0.25, 0.0, 0)
)


TEXTS = {
    "x.slf": SLF,
    "weighed.slf": (
        "VERSION=1.1\nbase=10\nlmscale=12.5\nacscale=0.5\nwdpenalty=-1\nN=3 L=3\nI=0 t=0\nI=1 t=0.5\nI=2 t=1\n"
        "J=0 S=0 E=1 W=a a=-100 l=-2\nJ=1 S=0 E=1 W=b a=-110 l=-1.5 r=-1\nJ=2 S=1 E=2 W=!NULL a=-5\n"
    ),
    "x.fst": "0 1 a a 0.5\n0 1 b b 1.5\n1 2 c c\n2 0.1\n",
    "x.mesh": "name u\nnumaligns 2\nalign 0 a 0.7 *DELETE* 0.3\ninfo 0 a 0.1 0.4 0 0 0\nalign 1 b 0.5 c 0.5\n",
    "x.sausage": "u1 [ a 0.7 b 0.2 ] [ c 1 ]\nu2 [ a 1 ]\n",
    "x.nbest": "-1.5 a b\n-2.5 a c d\n",
    "three.nbest": "-15.5 -2.5 2 a b\n-16.25 -2 3 a c d\n",
    "one.nbest": "NBestList1.0\n(-150) a b\n(-161) a c d\n",
    "two.nbest": (
        "NBestList2.0\n(-150) a ( st: 0.00 et: 0.09 g: -10 a: -100 ) b ( st: 0.10 et: 0.29 g: -9 a: -90 )\n"
        "(-160) a ( st: 0.00 et: 0.09 g: -10 a: -100 ) c ( st: 0.10 et: 0.19 g: -9 a: -95 )\n"
    ),
    "x.tra": "u1 3 1 7\nu2 1\n",
    "x.ctm": "u1 1 0.0 0.5 hello 0.9\nu1 1 0.5 0.5 world 0.6\nu2 1 0 1 x\n",
    "x.json": '{"segments": [{"words": [{"word": "hi", "start": 0, "end": 0.4, "probability": 0.5}]}]}',
    "x.ark": "u1\n0 1 1 0.5,1.5,3_3_3\n0 1 2 0.25,1.5,3_3_3\n1 0.1,0,4\n\nu2\n0 1 2 1,1,\n1\n\n",
}


BYTES = {**{name: text.encode() for name, text in TEXTS.items()}, "b.ark": LATTICE4}
