"""Speaks sentences while they are written, transcribes the speech, and prints what came as JSON: port sentence..."""

import asyncio
import json
import sys

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.info import Describe, Info
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeVoice,
)


async def events_until(client, last):
    """Events of one type after the other count as one."""
    names = []
    received = []
    while True:
        event = await client.read_event()
        assert event is not None, "the connection ended"
        received.append(event)
        if names[-1:] != [event.type]:
            names.append(event.type)
        if event.type == last:
            return names, received


async def main(port, sentences):
    async with AsyncTcpClient("127.0.0.1", port) as client:
        await client.write_event(Describe().event())
        info = Info.from_event(await client.read_event())
    asr, tts = info.asr[0], info.tts[0]

    async with AsyncTcpClient("127.0.0.1", port) as client:
        voice = SynthesizeVoice(name="onyx")
        await client.write_event(SynthesizeStart(voice=voice).event())
        for sentence in sentences:
            await client.write_event(SynthesizeChunk(sentence + " ").event())
        # As Home Assistant does, for servers that take no streams.
        await client.write_event(Synthesize(" ".join(sentences), voice=voice).event())
        await client.write_event(SynthesizeStop().event())
        speech_events, received = await events_until(client, "synthesize-stopped")
    chunks = [AudioChunk.from_event(event) for event in received if AudioChunk.is_type(event.type)]

    async with AsyncTcpClient("127.0.0.1", port) as client:
        await client.write_event(Transcribe(language="en").event())
        first = chunks[0]
        await client.write_event(AudioStart(first.rate, first.width, first.channels).event())
        for chunk in chunks:
            await client.write_event(chunk.event())
        await client.write_event(AudioStop().event())
        transcript_events, received = await events_until(client, "transcript-stop")
    transcript = next(event for event in received if Transcript.is_type(event.type))

    async with AsyncTcpClient("127.0.0.1", port) as client:
        await client.write_event(Synthesize("Hello.", voice=SynthesizeVoice(name="nobody")).event())
        error = Error.from_event(await client.read_event())
        assert await client.read_event() is None

    result = {
        "models": [model.name for model in asr.models],
        "voices": [voice.name for voice in tts.voices],
        "streams": [asr.supports_transcript_streaming, tts.supports_synthesize_streaming],
        "speechEvents": speech_events,
        "speechMs": sum(chunk.milliseconds for chunk in chunks),
        "transcriptEvents": transcript_events,
        "transcript": Transcript.from_event(transcript).text,
        "error": error.text,
    }
    print(json.dumps(result))


asyncio.run(main(int(sys.argv[1]), sys.argv[2:]))
