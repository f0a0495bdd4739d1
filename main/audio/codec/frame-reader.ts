// Decodes the frames of one stream of a media file. Skips damaged packets.

import { AVERROR_EAGAIN, AVERROR_EOF } from "node-av/constants";
import { type CodecContext, type FormatContext, Frame, Packet, type Stream } from "node-av/lib";

type FrameReader = {
  /** Overwritten by `next`. */
  readonly frame: Frame;
  /** Decodes one frame into `frame`; false at the end of the stream. */
  next(): boolean;
  /** Something could not be read or decoded so far. */
  isDamaged(): boolean;
  /** Frees what the reader allocated, not `input` and `codec`. */
  close(): void;
};

/** Number of consecutive failures before reading stops; damage is mostly local. */
const maxReadAttempts = 50;

export function createFrameReader(
  input: FormatContext,
  codec: CodecContext,
  stream: Stream,
): FrameReader {
  const packet = new Packet();
  packet.alloc();
  const frame = new Frame();
  frame.alloc();
  let isDamaged = false;
  let state: "reading" | "draining" | "ended" = "reading";

  /** Feeds one packet, or the end of the stream, to the decoder. */
  function feed(): void {
    for (let attempt = 0; attempt < maxReadAttempts; attempt++) {
      const read = input.readFrameSync(packet);
      if (read === AVERROR_EOF) break;
      if (read < 0) {
        isDamaged = true;
        continue;
      }
      const isSelectedStream = packet.streamIndex === stream.index;
      const sent = isSelectedStream ? codec.sendPacketSync(packet) : 0;
      packet.unref();
      if (sent < 0) isDamaged = true;
      return;
    }
    codec.sendPacketSync(null);
    state = "draining";
  }

  function nextFrame(): boolean {
    while (state !== "ended") {
      const received = codec.receiveFrameSync(frame);
      if (received >= 0) return true;
      if (received !== AVERROR_EAGAIN && received !== AVERROR_EOF) isDamaged = true;
      if (state === "draining") state = "ended";
      else feed();
    }
    return false;
  }

  return {
    frame,
    next: nextFrame,
    isDamaged: () => isDamaged,
    close() {
      frame.free();
      packet.free();
    },
  };
}
