import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { statusOfFilter } from "#/domain/equipment-filter";
import { severityOf } from "#/shared/severity";
import { useFormat } from "#/shared/format/use-format";
import { StatusIcon } from "#/shared/ui/status-badge";
import { countOf } from "./count-of";
import { statusPaths, statusTitle } from "./status-title";

export function StatusLinks() {
  const { t } = useTranslation();
  const format = useFormat();
  const summary = useQuery(equipmentSummaryQuery(useTransport())).data;
  return (
    <nav
      aria-label={t("equipment-list.byStatus.label")}
      className="-mx-4 overflow-x-auto px-4 pb-1"
    >
      <ul className="flex gap-2">
        {statusPaths.map((status) => (
          <li key={status} className="shrink-0">
            <Link
              to="/equipment/$status"
              params={{ status }}
              activeProps={{ className: "border-accent bg-accent-soft" }}
              inactiveProps={{ className: "border-line bg-raised hover:bg-sunken" }}
              className="inline-flex min-h-11 items-center gap-2 rounded-full border px-3.5 text-sm font-semibold whitespace-nowrap desk:min-h-9"
            >
              {status !== "all" && <StatusIcon severity={severityOf(statusOfFilter[status])} />}
              {t(statusTitle(status))}
              {summary && (
                <span className="font-normal text-muted">
                  {format.number(countOf(summary, status))}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
