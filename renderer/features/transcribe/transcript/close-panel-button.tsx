// Closes a panel of the open transcript.

import { X } from "lucide-react";
import { t } from "../../../messages/messages.ts";
import { IconButton } from "../../../ui/button.tsx";

export const ClosePanelButton = ({ onClick }: { onClick: () => void }) => (
  <IconButton label={t("transcribe.panel.close")} isSmall onClick={onClick}>
    <X aria-hidden />
  </IconButton>
);
