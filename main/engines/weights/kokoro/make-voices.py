#!/usr/bin/env python3
"""The voices of npm kokoro-js 1.2.1 -> voices.bin: 16-bit floats, in the order of main/models/kokoro-voices.ts.

usage: make-voices.py PACKAGE/voices VOICE...
"""
import sys
import numpy as np

folder, *voices = sys.argv[1:]
with open("voices.bin", "wb") as out:
    for voice in voices:
        styles = np.fromfile(f"{folder}/{voice}.bin", dtype="<f4")
        out.write(styles.astype("<f2").tobytes())
