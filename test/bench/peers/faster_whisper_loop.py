# faster-whisper at its fastest: 8-bit, batched, greedy. Takes a file's path a line, gives its text and milliseconds.

import json
import sys
import time

from faster_whisper import BatchedInferencePipeline, WhisperModel

model_dir, threads = sys.argv[1], int(sys.argv[2])
model = WhisperModel(model_dir, device="cpu", compute_type="int8", cpu_threads=threads)
pipeline = BatchedInferencePipeline(model=model)
print("ready", flush=True)

for line in sys.stdin:
    start = time.perf_counter()
    segments, _ = pipeline.transcribe(line.strip(), language="en", batch_size=8, beam_size=1)
    text = " ".join(segment.text.strip() for segment in segments)
    print(json.dumps({"text": text, "ms": (time.perf_counter() - start) * 1000}), flush=True)
