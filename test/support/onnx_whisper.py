# Replaces CTranslate2 in faster-whisper: the same interface, computed with the ONNX files of this project, so that
# only the decoding loop differs from ours. Greedy, one window at a time, after openai/whisper's decoding.py and
# timing.py. Needs onnxruntime and numpy in addition to faster-whisper.

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnxruntime

MEDIAN_WIDTH = 7


def log_softmax(logits):
    shifted = logits - logits.max()
    return shifted - np.log(np.exp(shifted).sum())


class OnnxWhisper:
    device = "cpu"
    device_index = [0]

    def __init__(self, folder, threads):
        generation = json.loads((Path(folder) / "generation_config.json").read_text("utf-8"))
        self.is_multilingual = generation["is_multilingual"]
        self.languages = generation["lang_to_id"]
        self.end = generation["eos_token_id"]
        self.start = generation["decoder_start_token_id"]
        self.no_timestamps = generation["no_timestamps_token_id"]
        self.no_speech = self.no_timestamps - 1
        self.first_timestamp = self.no_timestamps + 1
        self.blank = generation["begin_suppress_tokens"]
        self.heads = generation["alignment_heads"]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Threads that spin while waiting would slow down others.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.encoder, self.decoder = (
            onnxruntime.InferenceSession(str(next((Path(folder) / "onnx").glob(pattern))), options)
            for pattern in ("encoder_model*.onnx", "decoder_model_merged*.onnx")
        )
        self.pasts = [given for given in self.decoder.get_inputs() if given.name.startswith("past_key_values.")]

    def encode(self, features):
        batch = features.reshape(1, *features.shape[-2:]).astype(np.float32)
        return self.encoder.run(None, {"input_features": batch})[0]

    def feed(self, states, tokens, cache=None, outputs=()):
        """Returns the logits of `tokens`, the updated cache, and `outputs`.

        Without a cache, `tokens` are the first ones.
        """
        pasts = cache or {past.name: np.zeros((1, past.shape[1], 0, past.shape[3]), np.float32) for past in self.pasts}
        names = [past.name.replace("past_key_values", "present") for past in self.pasts]
        given = {
            "input_ids": np.array([tokens], np.int64),
            "encoder_hidden_states": states,
            "use_cache_branch": np.array([cache is not None]),
            **pasts,
        }
        logits, *rest = self.decoder.run(["logits", *names, *outputs], given)
        # The first pass returns the complete encoder part of the cache, later passes an empty one.
        cached = {
            past.name: pasts[past.name] if cache is not None and ".encoder." in past.name else value
            for past, value in zip(self.pasts, rest)
        }
        return logits[0], cached, rest[len(names) :]

    def detect_language(self, states):
        logits, _, _ = self.feed(states, [self.start])
        signs = list(self.languages)
        probabilities = np.exp(log_softmax(logits[0][[self.languages[sign] for sign in signs]]))
        return [sorted(zip(signs, map(float, probabilities)), key=lambda guess: -guess[1])]

    def generate(
        self,
        states,
        prompts,
        beam_size,
        suppress_tokens,
        max_initial_timestamp_index,
        max_length,
        sampling_temperature=0.0,
        **_,
    ):
        assert beam_size == 1 and sampling_temperature == 0.0
        prompt = prompts[0]
        timed = self.no_timestamps not in prompt
        logits, cache, _ = self.feed(states, prompt)
        no_speech = np.exp(log_softmax(logits[prompt.index(self.start)]))[self.no_speech]
        chosen, total = [], 0.0
        while len(chosen) < min(max_length // 2, max_length - len(prompt)):
            following = logits[-1].copy()
            following[list(suppress_tokens)] = -np.inf
            if not chosen:
                following[self.blank] = -np.inf
            if timed:
                self.rule_timestamps(following, chosen, max_initial_timestamp_index)
            token = int(following.argmax())
            total += float(log_softmax(following)[token])
            if token == self.end:
                break
            chosen.append(token)
            logits, cache, _ = self.feed(states, [token], cache)
        score = total / max(1, len(chosen))
        return [SimpleNamespace(sequences_ids=[chosen], scores=[score], no_speech_prob=float(no_speech))]

    def rule_timestamps(self, logits, chosen, max_initial):
        first = self.first_timestamp
        logits[self.no_timestamps] = -np.inf
        ended = len(chosen) >= 1 and chosen[-1] >= first
        paired = len(chosen) < 2 or chosen[-2] >= first
        if ended and paired:
            logits[first:] = -np.inf
        elif ended:
            logits[: self.end] = -np.inf
        times = [token for token in chosen if token >= first]
        if times:
            logits[first : times[-1] if ended and not paired else times[-1] + 1] = -np.inf
        if not chosen:
            logits[:first] = -np.inf
            logits[first + max_initial + 1 :] = -np.inf
        scores = log_softmax(logits)
        if np.logaddexp.reduce(scores[first:]) > scores[:first].max():
            logits[:first] = -np.inf

    def align(self, states, start_sequence, text_tokens, num_frames, median_filter_width=MEDIAN_WIDTH):
        answers = []
        for tokens in text_tokens:
            fed = [*start_sequence, self.no_timestamps, *tokens, self.end]
            layers = sorted({layer for layer, _ in self.heads})
            logits, _, attentions = self.feed(states, fed, outputs=[f"cross_attentions.{layer}" for layer in layers])
            weights = np.stack(
                [attentions[layers.index(layer)][0, head, :, : num_frames // 2] for layer, head in self.heads]
            )
            weights /= weights.sum(-1, keepdims=True)
            weights = (weights - weights.mean(-2, keepdims=True)) / weights.std(-2, keepdims=True)
            half = median_filter_width // 2
            mirrored = np.pad(weights, ((0, 0), (0, 0), (half, half)), mode="reflect")
            weights = np.median(np.lib.stride_tricks.sliding_window_view(mirrored, median_filter_width, -1), -1)
            begin = len(start_sequence)
            path = warped(-weights.mean(0)[begin:-1])
            said = [np.exp(log_softmax(logits[begin + place][: self.end]))[token] for place, token in enumerate(tokens)]
            answers.append(SimpleNamespace(alignments=path, text_token_probs=said))
        return answers


def warped(cost):
    """Dynamic time warping: the cheapest path from the first row and column to the last, as pairs."""
    rows, columns = cost.shape
    total = np.full((rows + 1, columns + 1), np.inf)
    trace = np.zeros((rows + 1, columns + 1), np.int8)
    total[0, 0] = 0
    for column in range(1, columns + 1):
        for row in range(1, rows + 1):
            ways = total[row - 1, column - 1], total[row - 1, column], total[row, column - 1]
            trace[row, column] = 0 if ways[0] < ways[1] and ways[0] < ways[2] else 1 if ways[1] < ways[2] else 2
            total[row, column] = cost[row - 1, column - 1] + min(ways)
    trace[0, :], trace[:, 0] = 2, 1
    row, column, path = rows, columns, []
    while row > 0 or column > 0:
        path.append((row - 1, column - 1))
        step = trace[row, column]
        row, column = row - (step != 2), column - (step != 1)
    return path[::-1]
