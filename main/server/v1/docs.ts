// GET /openapi.json and /docs. Public, since they contain nothing of the owner's.

import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";

export function createDocsRoutes(version: string): {
  openApi(): Response;
  page(request: Request): Response;
} {
  const document = openApiDocument(version);
  return {
    openApi: () => Response.json(document),
    page: (request) =>
      new Response(docsPage(document, new URL(request.url).origin), {
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
        },
      }),
  };
}
