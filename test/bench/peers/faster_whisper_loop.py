# faster-whisper with 8-bit weights, greedy decoding. Reads one JSON object per line, {"path", "language", "batched"}:
# its fastest mode if batched, else its default mode. Prints the text and the milliseconds as JSON.

import json
import sys
import time

from faster_whisper import BatchedInferencePipeline, WhisperModel

model_dir, threads = sys.argv[1], int(sys.argv[2])
model = WhisperModel(model_dir, device="cpu", compute_type="int8", cpu_threads=threads)
pipeline = BatchedInferencePipeline(model=model)
print("ready", flush=True)

for line in sys.stdin:
    job = json.loads(line)
    start = time.perf_counter()
    if job["batched"]:
        segments, _ = pipeline.transcribe(job["path"], language=job["language"], batch_size=8, beam_size=1)
    else:
        segments, _ = model.transcribe(job["path"], language=job["language"], beam_size=1)
    text = " ".join(segment.text.strip() for segment in segments)
    print(json.dumps({"text": text, "ms": (time.perf_counter() - start) * 1000}), flush=True)
