import { createFileRoute, notFound } from "@tanstack/react-router";
import { mayReadAuditLog } from "#/domain/permissions";
import { AuditLogPage } from "#/features/audit-log/audit-log-page";
import { auditFilterSchema } from "#/features/audit-log/filter";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

/** For the owner only; for managers this path does not exist. */
export const Route = createFileRoute("/_manager/audit-log")({
  beforeLoad: ({ context }) => {
    if (!mayReadAuditLog(context.user)) throw notFound();
  },
  validateSearch: auditFilterSchema,
  staticData: { title: key("shell.titles.auditLog") },
  loader: ({ context }) => {
    // The log's query depends on the company's time zone.
    prefetch(context, (pages) => pages.settings());
    return loadTexts("history");
  },
  component: AuditLogRoute,
});

function AuditLogRoute() {
  const filter = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <AuditLogPage
      filter={filter}
      onFilter={(change) =>
        void navigate({
          search: (last) => ({ ...last, ...change }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}
