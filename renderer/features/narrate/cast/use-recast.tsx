// Changes of many marks and the cast at once, which the browser's undo does not know: each can be undone until the
// script is changed otherwise.

import { useEffect, useRef } from "react";
import type { Role } from "../../../../main/contract/narration.ts";
import { t } from "../../../messages/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { useNarration, useScript, useView } from "../use-narration.ts";

type Casting = { readonly script: string; readonly cast: readonly Role[] };
/** `title` says what was done. */
export type Recast = (title: string, next: Casting) => void;

export function useRecast(): Recast {
  const { open } = useNarration();
  return (title, { script, cast }) => {
    const { script: scriptBefore, options } = open.store.getState();
    const before = { script: scriptBefore, cast: options.cast ?? [] };
    open.store.setOptions({ ...options, cast: [...cast] });
    open.store.setScript(script);
    open.view.setState({ lastCasting: { title, before, script } });
  };
}

export function LastRecast() {
  const { open } = useNarration();
  const script = useScript((state) => state.script);
  const last = useView((view) => view.lastCasting);
  if (last === undefined || last.script !== script) return null;
  const undo = (): void => {
    const { options } = open.store.getState();
    open.store.setOptions({ ...options, cast: [...last.before.cast] });
    open.store.setScript(last.before.script);
    open.view.setState({ lastCasting: undefined });
  };
  return <Notice action={<UndoButton onClick={undo} />}>{last.title}</Notice>;
}

/** Takes the focus of a button that its change has removed. */
function UndoButton({ onClick }: { onClick: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) button.current?.focus();
  }, []);
  return (
    <Button ref={button} isSmall onClick={onClick}>
      {t("frame.undo")}
    </Button>
  );
}
