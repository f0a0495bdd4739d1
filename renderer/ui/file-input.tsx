// The system's dialog that chooses files: `ref.current.click()` opens it, and the same file can be chosen again.

import type { ComponentPropsWithRef } from "react";

type FileInputProps = { onFiles: (files: [File, ...File[]]) => void } & Pick<
  ComponentPropsWithRef<"input">,
  "ref" | "accept" | "multiple" | "aria-label"
>;

export function FileInput({ onFiles, ...rest }: FileInputProps) {
  return (
    <input
      {...rest}
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

/** Every kind of sound: what cannot be decoded is told later. */
export const mediaTypes = "audio/*,video/*";
