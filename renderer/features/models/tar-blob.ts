// Several files as one tar archive, which the app takes as an import: a browser can send a folder only file by file.
// The files are not read here; the archive refers to them.

/** `path` is below the archive's root, with slashes. */
export type ArchivedFile = { readonly path: string; readonly file: Blob };

const blockBytes = 512;
const maxPathBytes = 100;
const fileType = "0";
/** The file's path is the content; as GNU tar writes paths that are too long for a header. */
const longPathType = "L";
const sumAt = 148;

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

function header(path: Uint8Array, sizeBytes: number, type: string): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(blockBytes);
  block.set(path.subarray(0, maxPathBytes));
  block.set(encode("0000644\0"), 100);
  block.set(encode(`${octal(sizeBytes, 11)}\0${octal(0, 11)}\0`), 124);
  // The checksum counts as spaces in itself.
  block.set(encode(`        ${type}`), sumAt);
  block.set(encode("ustar\x0000"), 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.set(encode(`${octal(sum, 6)}\0 `), sumAt);
  return block;
}

const padding = (sizeBytes: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array((blockBytes - (sizeBytes % blockBytes)) % blockBytes);

export function tarBlob(files: readonly ArchivedFile[]): Blob {
  const parts = files.flatMap(({ path, file }): BlobPart[] => {
    const name = encode(path);
    return [
      ...(name.length > maxPathBytes
        ? [header(encode("././@LongLink"), name.length, longPathType), name, padding(name.length)]
        : []),
      header(name, file.size, fileType),
      file,
      padding(file.size),
    ];
  });
  return new Blob([...parts, new Uint8Array(2 * blockBytes)]);
}
