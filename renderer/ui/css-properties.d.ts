// Components may hand figures to their style sheet as custom properties (`--at`), and nothing else inline.

import "react";

declare module "react" {
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined;
  }
}
