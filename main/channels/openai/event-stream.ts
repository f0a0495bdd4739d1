// Parses the data of server-sent events (WHATWG HTML, 9.2.6) from a byte stream. Lines end with LF or CRLF; a lone CR,
// which no server sends, does not end a line. The caller interprets the data.

export async function* parseEventStream(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let line = "";
  let data: string[] = [];
  for await (const chunk of bytes) {
    const [firstLine = "", ...laterLines] = decoder.decode(chunk, { stream: true }).split("\n");
    line += firstLine;
    for (const nextLine of laterLines) {
      const completeLine = line.replace(/\r$/, "");
      line = nextLine;
      if (completeLine.startsWith("data:")) data.push(completeLine.slice(5).replace(/^ /, ""));
      if (completeLine !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
  }
}
