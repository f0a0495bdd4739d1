// Security headers of every response of the window port: nothing from other origins, nothing inline, no framing, no
// strings as code. Names as in https://www.w3.org/TR/CSP3/ and https://w3c.github.io/trusted-types/.

const policy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' data: blob:",
  "font-src": "'self'",
  "media-src": "'self' blob:",
  "connect-src": "'self'",
  "worker-src": "'self' blob:",
  "manifest-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
  "object-src": "'none'",
  "require-trusted-types-for": "'script'",
  "trusted-types": "'none'",
};

export const securityHeaders: readonly (readonly [name: string, value: string])[] = [
  [
    "content-security-policy",
    Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join("; "),
  ],
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "microphone=(self), display-capture=(self), camera=(), geolocation=()"],
];
