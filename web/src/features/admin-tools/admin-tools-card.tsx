import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { employeesQuery } from "#/api/employees";
import { useErrorText } from "#/api/error-text";
import { useSession } from "#/session/session";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { resettable } from "./people";
import { ResetForm } from "./reset-form";

export function AdminToolsCard() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [open, setOpen] = useState(false);
  const query = useQuery({ ...employeesQuery(useTransport()), enabled: open });
  const self = useSession();
  const [round, setRound] = useState(0);
  const people = query.data && resettable(query.data.employees, self);
  return (
    <Card
      title={t("admin-tools.title")}
      description={t("admin-tools.text")}
      actions={
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          {t("admin-tools.open")}
          <ChevronDown aria-hidden className={clsx("size-4", open && "rotate-180")} />
        </Button>
      }
    >
      {open && (
        <div className="@container">
          {query.error && (
            <ErrorPanel
              title={t("admin-tools.loadFailed")}
              reason={errorText(query.error)}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          )}
          {query.isPending && (
            <div role="status">
              <span className="sr-only">{t("common.loading")}</span>
              <Skeleton className="h-28 w-full" />
            </div>
          )}
          {people?.length === 0 && (
            <Empty
              drawing="people"
              title={t("admin-tools.emptyTitle")}
              description={t("admin-tools.emptyText")}
              action={
                <Button asChild>
                  <Link to="/employees">{t("admin-tools.toOperators")}</Link>
                </Button>
              }
            />
          )}
          {people && people.length > 0 && (
            <ResetForm key={round} people={people} onDone={() => setRound((last) => last + 1)} />
          )}
        </div>
      )}
    </Card>
  );
}
