// A text as a QR code. It is dark on light in both themes, with the border that cameras need.

import { useEffect, useState } from "react";
import type { QrCodeGenerateResult } from "uqr";
import { qrPath } from "./qr-path.ts";

/** In modules, as the standard asks for. */
const quietZone = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<QrCodeGenerateResult>();
  useEffect(() => {
    let isCurrent = true;
    void import("uqr").then(
      ({ encode }) => isCurrent && setCode(encode(text, { ecc: "M", border: quietZone })),
    );
    return () => void (isCurrent = false);
  }, [text]);
  return (
    <svg
      className="server-feed-code"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${code?.size ?? 1} ${code?.size ?? 1}`}
      shapeRendering="crispEdges"
    >
      {code !== undefined && <path d={qrPath(code.data)} fill="currentColor" />}
    </svg>
  );
}
