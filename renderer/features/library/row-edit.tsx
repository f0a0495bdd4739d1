// Edits the title or the tags of an item in its row; saves on Enter and when the focus leaves.

import { useState } from "react";
import type { Item } from "../../../main/contract/library-item.ts";
import { t } from "../../messages/messages.ts";
import { TextField } from "../../ui/field.tsx";
import { parseTags } from "./filter-items.ts";
import type { ItemActions } from "./item-row.tsx";

export function RowEdit({
  item,
  field,
  actions,
  onClose,
}: {
  item: Item;
  field: "title" | "tags";
  actions: ItemActions;
  onClose: () => void;
}) {
  const [text, setText] = useState(field === "title" ? item.title : item.tags.join(", "));
  const [error, setError] = useState<string>();
  const finishEditing = () => {
    onClose();
    // Returns the focus to the row.
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-item="${CSS.escape(item.id)}"]`)?.focus(),
    );
  };
  const save = async () => {
    const title = text.trim();
    if (field === "title" && title === "") return setError(t("library.rename.empty"));
    try {
      if (field === "title" && title !== item.title) await actions.rename(item, title);
      if (field === "tags" && parseTags(text).join(",") !== item.tags.join(","))
        await actions.changeTags(item, parseTags(text));
      finishEditing();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <form
      className="library-edit"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        finishEditing();
      }}
      onBlur={(event) =>
        !event.currentTarget.contains(event.relatedTarget) && error === undefined && void save()
      }
    >
      <TextField
        label={field === "title" ? t("library.rename") : t("library.tags")}
        isLabelHidden
        autoFocus
        maxLength={field === "title" ? 300 : undefined}
        placeholder={field === "tags" ? t("library.tags.example") : undefined}
        onFocus={({ currentTarget }) => currentTarget.select()}
        value={text}
        error={error}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          setError(undefined);
        }}
      />
    </form>
  );
}
