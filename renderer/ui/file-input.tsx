// File dialog: `ref.current.click()` opens it; the same file can be selected again.

import type { ComponentPropsWithRef } from "react";
import { documentExtensions } from "../../main/contract/documents.ts";

type FileInputProps = {
  onFiles: (files: [File, ...File[]]) => void;
  /** Selects a folder; its files have their `webkitRelativePath`. */
  isFolder?: boolean;
} & Pick<ComponentPropsWithRef<"input">, "ref" | "accept" | "multiple" | "aria-label">;

export function FileInput({ onFiles, isFolder, ...rest }: FileInputProps) {
  return (
    <input
      {...rest}
      {...(isFolder === true && { webkitdirectory: "" })}
      type="file"
      hidden
      onChange={({ currentTarget }) => {
        const [first, ...others] = currentTarget.files ?? [];
        currentTarget.value = "";
        if (first !== undefined) onFiles([first, ...others]);
      }}
    />
  );
}

/** All audio and video types; undecodable files are reported later. */
export const mediaTypes = "audio/*,video/*";

/** What can be read as a script. */
export const documentTypes = [
  ...documentExtensions.map((extension) => `.${extension}`),
  "text/plain",
].join(",");
