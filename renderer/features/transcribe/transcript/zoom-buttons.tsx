// Zooms the waveform, by buttons and keys.

import { Minus, Plus, UnfoldHorizontal } from "lucide-react";
import type { ReactElement } from "react";
import { t } from "../../../messages/messages.ts";
import { useAction } from "../../../stores/actions.ts";
import { IconButton } from "../../../ui/button.tsx";
import { isClosest, isInRange, wholeRange, zoom, zoomStep } from "../../../ui/time-view.ts";
import type { TimeView } from "./use-time-view.ts";

export function ZoomButtons({
  timeView: { durationSec, view, isZoomed, setView },
  positionSec,
}: {
  timeView: TimeView;
  positionSec: number;
}) {
  // At the position while it is shown; otherwise in the middle.
  const atSec = isInRange(view, positionSec) ? positionSec : (view.fromSec + view.toSec) / 2;
  const zoomBy = (factor: number) => (): void => setView(zoom(view, durationSec, factor, atSec));
  const wholeReason = isZoomed ? undefined : t("transcribe.zoom.is-whole");
  const zooms = [
    {
      id: "transcribe.zoom-in",
      title: t("transcribe.zoom.in"),
      keys: "+",
      icon: <Plus aria-hidden />,
      disabledReason: isClosest(view, durationSec) ? t("transcribe.zoom.is-closest") : undefined,
      run: zoomBy(zoomStep),
    },
    {
      id: "transcribe.zoom-out",
      title: t("transcribe.zoom.out"),
      keys: "-",
      icon: <Minus aria-hidden />,
      disabledReason: wholeReason,
      run: zoomBy(1 / zoomStep),
    },
    {
      id: "transcribe.zoom-whole",
      title: t("transcribe.zoom.whole"),
      keys: "0",
      icon: <UnfoldHorizontal aria-hidden />,
      disabledReason: wholeReason,
      run: () => setView(wholeRange(durationSec)),
    },
  ] as const;
  return (
    <div className="sound-zoom" role="group" aria-label={t("transcribe.zoom")}>
      {zooms.map((each) => (
        <ZoomButton key={each.id} {...each} />
      ))}
    </div>
  );
}

type Zoom = {
  id: string;
  title: string;
  keys: string;
  icon: ReactElement;
  disabledReason: string | undefined;
  run: () => void;
};

function ZoomButton({ icon, ...action }: Zoom) {
  useAction(action);
  return (
    <IconButton
      label={action.title}
      keys={action.keys}
      side="left"
      isSmall
      disabledReason={action.disabledReason}
      onClick={action.run}
    >
      {icon}
    </IconButton>
  );
}
