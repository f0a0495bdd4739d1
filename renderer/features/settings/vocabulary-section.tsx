// Names and terms for recognition and for narrations: add, change, remove, and paste a list.

import { ClipboardPaste, Plus, Trash2 } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { maxWordCharacters } from "../../../main/contract/vocabulary.ts";
import { t } from "../../messages/messages.ts";
import { vocabulary } from "../../stores/vocabulary.ts";
import type { WordRow } from "../../stores/vocabulary-store.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";

const columns = ["word", "heard", "says"] as const;
/** More are found by searching. */
const maxShown = 100;
/** Fewer are seen at a glance. */
const minSearched = 12;

export function VocabularySection() {
  const { rows, isLoaded, isSaving, error } = useStore(vocabulary);
  const [query, setQuery] = useState("");
  const [addedKey, setAddedKey] = useState<number>();
  const [isPasting, setPasting] = useState(false);
  useEffect(() => {
    void vocabulary.load();
    return () => void vocabulary.save();
  }, []);
  const loadingReason = isLoaded ? undefined : t("settings.vocabulary.loading");
  const found = rows.filter(
    ({ key, word }) => key === addedKey || word.toLowerCase().includes(query.trim().toLowerCase()),
  );
  return (
    <Section title={t("settings.vocabulary")} about={t("settings.vocabulary.about")}>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      <div className="vocabulary-tools">
        <Button
          isSmall
          icon={<Plus aria-hidden />}
          disabledReason={loadingReason}
          onClick={() => setAddedKey(vocabulary.add())}
        >
          {t("settings.vocabulary.add")}
        </Button>
        <Button
          isSmall
          icon={<ClipboardPaste aria-hidden />}
          disabledReason={loadingReason}
          aria-expanded={isPasting}
          onClick={() => setPasting(!isPasting)}
        >
          {t("settings.vocabulary.paste")}
        </Button>
        {rows.length >= minSearched && (
          <TextField
            label={t("settings.vocabulary.search")}
            isLabelHidden
            type="search"
            placeholder={t("settings.vocabulary.search")}
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
        )}
        <span className="secondary field-help" role="status">
          {isSaving ? t("settings.vocabulary.saving") : ""}
        </span>
      </div>
      {isPasting && <PasteForm onClose={() => setPasting(false)} />}
      {isLoaded && rows.length === 0 && (
        <p className="field-help">{t("settings.vocabulary.none")}</p>
      )}
      <div className="vocabulary-list">
        {rows.length > 0 && (
          // Each field has its own label.
          <div className="vocabulary-columns field-label" aria-hidden>
            {columns.map((name) => (
              <span key={name}>{t(`settings.vocabulary.${name}`)}</span>
            ))}
          </div>
        )}
        <ul className="vocabulary-words" aria-label={t("settings.vocabulary")}>
          {found.slice(0, maxShown).map((row) => (
            <Row key={row.key} row={row} isNew={row.key === addedKey} />
          ))}
        </ul>
      </div>
      {found.length > maxShown && (
        <p className="field-help">
          {t("settings.vocabulary.more", { count: found.length - maxShown })}
        </p>
      )}
    </Section>
  );
}

function PasteForm({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const words = [...new Set(text.split(/[\r\n]+/).map((line) => line.trim()))].filter(Boolean);
  const tooLong = words.filter((word) => word.length > maxWordCharacters);
  const reason =
    words.length === 0
      ? t("settings.vocabulary.paste.nothing")
      : tooLong[0] !== undefined
        ? t("settings.vocabulary.paste.too-long", {
            line: tooLong[0].slice(0, maxWordCharacters),
            max: maxWordCharacters,
          })
        : undefined;
  return (
    <div className="vocabulary-paste">
      <TextArea
        label={t("settings.vocabulary.paste.label")}
        help={tooLong.length === 0 ? t("settings.vocabulary.paste.help") : undefined}
        error={tooLong.length === 0 ? undefined : reason}
        rows={6}
        autoFocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className="vocabulary-tools">
        <Button
          isSmall
          kind="primary"
          disabledReason={reason}
          onClick={() => {
            vocabulary.addAll(words);
            onClose();
          }}
        >
          {t("settings.vocabulary.paste.add", { count: words.length })}
        </Button>
        <Button isSmall kind="quiet" onClick={onClose}>
          {t("settings.vocabulary.paste.cancel")}
        </Button>
      </div>
    </div>
  );
}

function Row({ row, isNew }: { row: WordRow; isNew: boolean }) {
  const first = useRef<HTMLInputElement>(null);
  // In a layout effect: the next key press must already reach the field.
  useLayoutEffect(() => {
    if (isNew) first.current?.focus();
  }, [isNew]);
  const field = (name: (typeof columns)[number]) => ({
    label: t(`settings.vocabulary.${name}`),
    isLabelHidden: true,
    placeholder: t(`settings.vocabulary.${name}`),
    maxLength: name === "says" ? 200 : maxWordCharacters,
    value: row[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      vocabulary.change(row.key, { [name]: event.currentTarget.value }),
  });
  return (
    <li>
      <TextField ref={first} {...field("word")} />
      <TextField {...field("heard")} />
      <TextField {...field("says")} />
      <IconButton
        label={t("settings.vocabulary.remove", { word: row.word })}
        isSmall
        onClick={() => vocabulary.remove(row.key)}
      >
        <Trash2 aria-hidden />
      </IconButton>
    </li>
  );
}
