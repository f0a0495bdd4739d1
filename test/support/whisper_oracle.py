# Whisper in faster-whisper with greedy decoding, as the reference for our own loop. Arguments: the model's folder, the
# number of threads, and, for the same weights in 8 bits, the folder of ONNX files that replace the float32 ones. Reads
# one JSON object per line, {"path", "language"} of raw 16 kHz float32 samples, and prints an OracleResult
# (whisper-oracle.ts) per line.

import json
import sys
from itertools import islice

import numpy as np
from faster_whisper import WhisperModel

from onnx_whisper import OnnxWhisper


class OneClipModel(WhisperModel):
    """Encodes each window of a clip only once, although it is decoded several times."""

    encoded = {}

    def encode(self, features):
        key = features.tobytes()
        if key not in self.encoded:
            self.encoded[key] = self.model.encode(features) if onnx_folder else super().encode(features)
        return self.encoded[key]


model_folder, threads, *onnx_folder = sys.argv[1:]
model = OneClipModel(model_folder, device="cpu", compute_type="float32", cpu_threads=int(threads))
if onnx_folder:
    model.model = OnnxWhisper(onnx_folder[0], int(threads))
# Greedy without fallback temperatures, because sampling is random. Earlier text is not used as a prompt.
greedy = dict(beam_size=1, temperature=0.0, condition_on_previous_text=False, vad_filter=False)


def described(segment, language):
    words = segment.words and [
        dict(word=word.word, startSec=float(word.start), endSec=float(word.end), probability=float(word.probability))
        for word in segment.words
    ]
    return dict(
        startSec=float(segment.start),
        endSec=float(segment.end),
        text=segment.text.strip(),
        tokens=segment.tokens,
        temperature=segment.temperature,
        avgLogprob=segment.avg_logprob,
        compressionRatio=segment.compression_ratio,
        noSpeechProb=segment.no_speech_prob,
        seekFrames=segment.seek,
        language=language,
        **({"words": words} if words else {}),
    )


for line in sys.stdin:
    job = json.loads(line)
    samples = np.fromfile(job["path"], dtype="<f4")

    def transcribe(windows=None, **options):
        segments, _ = model.transcribe(samples, language=job["language"], **greedy, **options)
        return [described(segment, job["language"]) for segment in islice(segments, windows)]

    # With word times the next window starts after the last word, in steps of a frame. The first window is enough.
    language, probability, _ = model.detect_language(samples)
    answer = dict(
        language=language,
        languageProbability=probability,
        plain=transcribe(without_timestamps=True),
        timed=transcribe(),
        worded=transcribe(windows=1, without_timestamps=True, word_timestamps=True),
        translated=transcribe(task="translate", without_timestamps=True),
        translatedTimed=transcribe(task="translate"),
    )
    model.encoded.clear()
    print(json.dumps(answer), flush=True)
