// Allows custom properties (`--at`) in `style`, so that components can pass values to their style sheet.

import "react";

declare module "react" {
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined;
  }
}
