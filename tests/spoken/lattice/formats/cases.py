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
    "text": "u1-001 so it was said\nu1-002 uh <noise> yes\nu2-001 no\n",
    "x.ctm": "u1 1 0.0 0.5 hello 0.9\nu1 1 0.5 0.5 world 0.6\nu2 1 0 1 x\n",
    "x.ark": "u1\n0 1 1 0.5,1.5,3_3_3\n0 1 2 0.25,1.5,3_3_3\n1 0.1,0,4\n\nu2\n0 1 2 1,1,\n1\n\n",
}

# a small transcript of every format: Ann says "Hello, world." from 0.5 to 1.5, Bob says "Yes!" from 2 to 2.5
TRANSCRIPTS = {
    "whisper.json": (
        '{"segments": [{"start": 0.5, "end": 1.5, "text": " Hello, world.", "speaker": "Ann", "words": ['
        '{"word": " Hello,", "start": 0.5, "end": 1.0, "probability": 0.9}, '
        '{"word": " world.", "start": 1.0, "end": 1.5, "probability": 0.8}]}, '
        '{"start": 2, "end": 2.5, "text": " Yes!", "speaker": "Bob"}]}'
    ),
    "cpp.json": (
        '{"result": {"language": "en"}, "transcription": [{"offsets": {"from": 500, "to": 1500}, '
        '"text": " Hello, world.", "tokens": [{"text": "[_BEG_]", "offsets": {"from": 0, "to": 0}, "p": 0.9}, '
        '{"text": " Hel", "offsets": {"from": 500, "to": 700}, "p": 0.9}, '
        '{"text": "lo,", "offsets": {"from": 700, "to": 1000}, "p": 0.8}, '
        '{"text": " world.", "offsets": {"from": 1000, "to": 1500}, "p": 0.7}]}, '
        '{"offsets": {"from": 2000, "to": 2500}, "text": " Yes!"}]}'
    ),
    "vosk.json": (
        '{"result": [{"conf": 0.9, "start": 0.5, "end": 1.0, "word": "hello"}, '
        '{"conf": 0.8, "start": 1.0, "end": 1.5, "word": "world"}], "text": "hello world"}\n{"text": ""}\n'
        '{"alternatives": [{"confidence": 310.5, "result": [{"start": 2.0, "end": 2.5, "word": "yes"}], '
        '"text": "yes"}, '
        '{"confidence": 309.5, "result": [{"start": 2.0, "end": 2.5, "word": "yet"}], "text": "yet"}]}\n'
    ),
    "aws.json": (
        '{"jobName": "j", "results": {"transcripts": [{"transcript": "Hello, world. Yes!"}], "items": ['
        '{"start_time": "0.5", "end_time": "1.0", "alternatives": [{"confidence": "0.9", "content": "Hello"}], '
        '"type": "pronunciation", "speaker_label": "spk_0"}, '
        '{"alternatives": [{"confidence": "0.0", "content": ","}], "type": "punctuation"}, '
        '{"start_time": "1.0", "end_time": "1.5", "alternatives": [{"confidence": "0.8", "content": "world"}], '
        '"type": "pronunciation", "speaker_label": "spk_0"}, '
        '{"start_time": "2.0", "end_time": "2.5", "alternatives": [{"confidence": "1.0", "content": "Yes"}], '
        '"type": "pronunciation", "speaker_label": "spk_1"}]}, "status": "COMPLETED"}'
    ),
    "google.json": (
        '{"results": [{"alternatives": [{"transcript": "hello world", "confidence": 0.9, "words": ['
        '{"startTime": "0.500s", "endTime": "1s", "word": "hello"}, {"startTime": "1s", "endTime": "1.500s", '
        '"word": "world"}]}, {"transcript": "hello word", "confidence": 0.3}]}, '
        '{"alternatives": [{"transcript": " yes", "words": [{"startTime": "2s", "endTime": "2.5s", "word": "yes"}]}]}]}'
    ),
    "azure.json": (
        '{"combinedRecognizedPhrases": [{"lexical": "x"}], "recognizedPhrases": [{"recognitionStatus": "Success", '
        '"offsetInTicks": 5000000.0, "durationInTicks": 10000000.0, "speaker": 1, "nBest": [{"confidence": 0.9, '
        '"display": "Hello, world.", "words": ['
        '{"word": "hello", "offsetInTicks": 5000000.0, "durationInTicks": 5000000.0, "confidence": 0.9}, '
        '{"word": "world", "offsetInTicks": 10000000.0, "durationInTicks": 5000000.0, "confidence": 0.8}]}]}, '
        '{"offsetInTicks": 20000000.0, "durationInTicks": 5000000.0, "speaker": 2, '
        '"nBest": [{"confidence": 0.9, "display": "Yes!"}]}]}'
    ),
    "deepgram.json": (
        '{"metadata": {"channels": 1}, "results": {"channels": [{"alternatives": [{"transcript": "hello world yes", '
        '"confidence": 0.9, "words": ['
        '{"word": "hello", "start": 0.5, "end": 1.0, "confidence": 0.9, "speaker": 0, "punctuated_word": "Hello,"}, '
        '{"word": "world", "start": 1.0, "end": 1.5, "confidence": 0.8, "speaker": 0, "punctuated_word": "world."}, '
        '{"word": "yes", "start": 2.0, "end": 2.5, "confidence": 0.9, "speaker": 1, "punctuated_word": "Yes!"}]}]}]}}'
    ),
    "assemblyai.json": (
        '{"id": "x", "status": "completed", "text": "Hello, world. Yes!", "confidence": 0.9, "words": ['
        '{"text": "Hello,", "start": 500, "end": 1000, "confidence": 0.9, "speaker": "A"}, '
        '{"text": "world.", "start": 1000, "end": 1500, "confidence": 0.8, "speaker": "A"}, '
        '{"text": "Yes!", "start": 2000, "end": 2500, "confidence": 0.9, "speaker": "B"}], "utterances": null}'
    ),
    "x.vtt": (
        "WEBVTT\n\n00:00:00.500 --> 00:00:01.500\n"
        "<v Ann><00:00:00.500><c.c9>Hello,</c> <00:00:01.000><c.c8>world.</c>\n\n"
        "2\n00:02.000 --> 00:02.500 align:left\n<v Bob>Yes!</v>\n"
    ),
    "x.srt": (
        "1\n00:00:00,500 --> 00:00:01,500\n[Ann]: Hello,\n<i>world</i>.\n\n"
        "2\n00:00:02,000 --> 00:00:02,500\n[Bob]: Yes!\n"
    ),
    "x.tsv": "start\tend\ttext\n500\t1500\tHello, world.\n2000\t2500\tYes!\n",
    "x.stm": "u 1 Ann 0.5 1.5 <o,f0> hello world\nu 1 Bob 2 2.5 yes\n;; v\nv A Cy 0 1 { no / @ } (uh)\n",
    "x.textgrid": (
        '"ooTextFile"\n"TextGrid"\n\n0 2.5\n<exists>\n2\n"IntervalTier" "Ann - words" 0 2.5 3\n'
        '0 0.5 ""\n0.5 1 "Hello"\n'
        '1 1.5 "world"\n"IntervalTier" "Bob - words" 0 2.5 2\n0 2 "sil"\n2 2.5 "Yes"\n'
    ),
    "x.eaf": (
        '<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="500"/>'
        '<TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="1500"/><TIME_SLOT TIME_SLOT_ID="t3" TIME_VALUE="2000"/>'
        '<TIME_SLOT TIME_SLOT_ID="t4" TIME_VALUE="2500"/></TIME_ORDER>'
        '<TIER TIER_ID="a" PARTICIPANT="Ann"><ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2">'
        "<ANNOTATION_VALUE>Hello, world.</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>"
        '<TIER TIER_ID="b" PARTICIPANT="Bob"><ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="t3" TIME_SLOT_REF2="t4">'
        "<ANNOTATION_VALUE>Yes!</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>"
    ),
    "tei.xml": (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><timeline unit="s"><when xml:id="T0"/>'
        '<when xml:id="T1" interval="0.5" since="#T0"/><when xml:id="T2" interval="1.5" since="#T0"/>'
        '<when xml:id="T3" interval="2.0" since="#T0"/><when xml:id="T4" interval="2.5" since="#T0"/></timeline><body>'
        '<u who="#Ann" start="#T1" end="#T2">Hello, world.</u><u who="#Bob" start="#T3" end="#T4">Yes!</u>'
        "</body></text></TEI>"
    ),
    "ohms.xml": (
        '<ROOT xmlns="https://www.weareavp.com/nunncenter/ohms"><record><duration>00:02:30</duration>'
        "<sync>1:|1(2)|3(2)</sync><transcript>ANN: Hello,\nworld.\nBOB: Yes!\nNo.</transcript></record></ROOT>"
    ),
    "codes.txt": "A title\n\n[00:00:00.500 --> 00:00:01.500] Ann: Hello,\nworld.\n00:00:02 Bob: Yes!\n",
}
TEXTS |= TRANSCRIPTS


BYTES = {**{name: text.encode() for name, text in TEXTS.items()}, "b.ark": LATTICE4}
