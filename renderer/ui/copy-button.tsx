// Button that copies a text and shows that it did.

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { copyText } from "../bridge/bridge.ts";
import { t } from "../messages/messages.ts";
import { IconButton } from "./button.tsx";

/** `label` names what is copied. */
export function CopyButton({ label, text }: { label: string; text: string }) {
  const [outcome, setOutcome] = useState<"copied" | "refused">();
  useEffect(() => {
    const timer = setTimeout(() => setOutcome(undefined), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const name =
    outcome === "copied"
      ? t("frame.copied")
      : outcome === "refused"
        ? t("frame.copy.refused")
        : label;
  return (
    <IconButton
      label={name}
      isSmall
      onClick={async () => setOutcome((await copyText(text)) ? "copied" : "refused")}
    >
      {outcome === "copied" ? <Check aria-hidden /> : <Copy aria-hidden />}
    </IconButton>
  );
}
