// A client of the Wyoming protocol, written from its documentation and independent of the server's code.

import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export type ReceivedEvent = {
  type: string;
  data: Record<string, unknown>;
  payload: Buffer;
};

export type WyomingClient = {
  socket: Socket;
  send(type: string, data?: object, payload?: Uint8Array): void;
  /** The next event; undefined if the connection has ended. */
  next(): Promise<ReceivedEvent | undefined>;
  /** All events up to one of this type, or to the end of the connection. */
  until(type: string): Promise<ReceivedEvent[]>;
};

export async function connectWyoming(port: number): Promise<WyomingClient> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const events = readEvents(socket);
  socket.on("error", () => {});
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  const next = async (): Promise<ReceivedEvent | undefined> => {
    const { value, done } = await events.next();
    return done === true ? undefined : value;
  };
  return {
    socket,
    send(type, data, payload = Buffer.of()) {
      const json = Buffer.from(data === undefined ? "" : JSON.stringify(data));
      const header = { type, data_length: json.length, payload_length: payload.length };
      socket.write(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), json, payload]));
    },
    next,
    async until(type) {
      const received: ReceivedEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) {
        received.push(event);
        if (event.type === type) break;
      }
      return received;
    },
  };
}

async function* readEvents(socket: Socket): AsyncGenerator<ReceivedEvent, void, undefined> {
  let bytes = Buffer.of();
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      bytes = Buffer.concat([bytes, chunk as Buffer]);
      for (let at = bytes.indexOf("\n"); at >= 0; at = bytes.indexOf("\n")) {
        const header = JSON.parse(bytes.toString("utf8", 0, at)) as Record<string, unknown>;
        const dataEnd = at + 1 + Number(header["data_length"] ?? 0);
        const end = dataEnd + Number(header["payload_length"] ?? 0);
        if (bytes.length < end) break;
        const data: unknown = JSON.parse(bytes.toString("utf8", at + 1, dataEnd) || "{}");
        yield {
          type: String(header["type"]),
          data: data as Record<string, unknown>,
          payload: bytes.subarray(dataEnd, end),
        };
        bytes = bytes.subarray(end);
      }
    }
  } catch {
    // The server ended the connection.
  }
}
