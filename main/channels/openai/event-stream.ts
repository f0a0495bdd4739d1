// The data of server-sent events (WHATWG HTML, 9.2.6), as bytes come. Lines end with LF or CRLF; a lone CR, which no
// server sends, is not taken for an end. The reader interprets the data.

export async function* eventData(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let line = "";
  let data: string[] = [];
  for await (const chunk of bytes) {
    const [first = "", ...next] = decoder.decode(chunk, { stream: true }).split("\n");
    line += first;
    for (const begun of next) {
      const ended = line.replace(/\r$/, "");
      line = begun;
      if (ended.startsWith("data:")) data.push(ended.slice(5).replace(/^ /, ""));
      if (ended !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
  }
}
