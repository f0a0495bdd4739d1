// Words of the script in no lexicon, such as names: each can be heard and given a pronunciation.

import { PenLine, Volume2 } from "lucide-react";
import { useEffect, useState } from "react";
import type { Pronunciation } from "../../../../main/contract/narration.ts";
import { call } from "../../../api/client.ts";
import { synthesizeSpeech } from "../../../api/speech.ts";
import { t } from "../../../messages/messages.ts";
import { useTask } from "../../../stores/task.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { playClip } from "../playing/clip.ts";
import { useNarration, useScript } from "../use-narration.ts";

type UnknownWord = { word: string; count: number };

type UnknownWordsProps = {
  /** Words with a pronunciation are not listed. */
  entries: readonly Pronunciation[];
  disabledReason: string | undefined;
  onSet: (word: string) => void;
};

export function UnknownWords({ entries, disabledReason, onSet }: UnknownWordsProps) {
  const { item } = useNarration();
  const isSaved = useScript(({ saving }) => saving === "saved");
  const [words, setWords] = useState<readonly UnknownWord[]>([]);
  const { error, run, cancel } = useTask();
  useEffect(() => {
    if (!isSaved) return;
    void run(async (signal) =>
      setWords((await call("findUnknownWords", {}, item.id, signal)).words),
    );
    return cancel;
  }, [isSaved, item.id, run, cancel]);
  const known = new Set(entries.map(({ word }) => word.trim().toLowerCase()));
  const shown = words.filter(({ word }) => !known.has(word.toLowerCase()));
  if (error !== undefined) return <Notice tone="bad">{error}</Notice>;
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby="unknown-words">
      <h2 id="unknown-words">{t("narrate.unknown")}</h2>
      <p className="field-help">{t("narrate.unknown.about")}</p>
      <ul className="narrate-unknown">
        {shown.map((each) => (
          <Row
            key={each.word}
            {...each}
            disabledReason={disabledReason}
            onSet={() => onSet(each.word)}
          />
        ))}
      </ul>
    </section>
  );
}

type RowProps = UnknownWord & { disabledReason: string | undefined; onSet: () => void };

function Row({ word, count, disabledReason, onSet }: RowProps) {
  const { model, voice } = useScript((state) => state.options);
  const { isBusy, error, run } = useTask();
  const playWord = (): void =>
    void run(async (signal) => {
      const speech = await synthesizeSpeech(word, { model, voice }, signal);
      await playClip(URL.createObjectURL(speech), `unknown ${word}`);
    });
  return (
    <li>
      <span>{word}</span>
      <span className="secondary figures">{t("narrate.unknown.count", { count })}</span>
      <IconButton
        label={t("narrate.words.play", { word })}
        isSmall
        isBusy={isBusy}
        onClick={playWord}
      >
        <Volume2 aria-hidden />
      </IconButton>
      <IconButton
        label={t("narrate.unknown.set", { word })}
        isSmall
        disabledReason={disabledReason}
        onClick={onSet}
      >
        <PenLine aria-hidden />
      </IconButton>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
    </li>
  );
}
