// File dialog: `ref.current.click()` opens it; the same file can be selected again.

import type { ComponentPropsWithRef } from "react";

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
