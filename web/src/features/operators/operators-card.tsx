import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { KeyRound, Pencil, Trash2, Users } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";
import { DataTable } from "#/shared/table/data-table";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { CopyUsername } from "./copy-username";
import { employeesQuery, fullName, operatorsOf } from "./queries";

interface RowActions {
  onEdit: (operator: Employee) => void;
  onRemove: (operator: Employee) => void;
}

export function OperatorsCard({
  passwordSet,
  onSetPassword,
  onAdd,
  ...actions
}: RowActions & {
  passwordSet: boolean;
  onSetPassword: () => void;
  onAdd: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(employeesQuery(useTransport()));
  const operators = query.data && operatorsOf(query.data.employees);
  const columns = useColumns(actions);
  return (
    <section aria-labelledby="operators-heading" className="space-y-3">
      <h2 id="operators-heading" className="text-lg font-semibold">
        {operators
          ? t("operators.heading", { count: operators.length })
          : t("operators.headingLoading")}
      </h2>
      {query.error && (
        <ErrorPanel
          title={t("operators.loadFailed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.isPending && (
        <div className="rounded-card border border-line bg-raised">
          <SkeletonRows rows={4} label={t("common.loading")} />
        </div>
      )}
      {operators && (
        <DataTable
          label={t("operators.title")}
          columns={columns}
          rows={operators}
          rowKey={(row) => row.id}
          empty={
            passwordSet ? (
              <Empty
                icon={<Users aria-hidden />}
                title={t("operators.empty.title")}
                description={t("operators.empty.text")}
                action={
                  <Button variant="primary" onClick={onAdd}>
                    {t("operators.form.add")}
                  </Button>
                }
              />
            ) : (
              <Empty
                icon={<KeyRound aria-hidden />}
                title={t("operators.empty.title")}
                description={t("operators.empty.passwordFirst")}
                action={
                  <Button variant="primary" onClick={onSetPassword}>
                    {t("operators.empty.setPassword")}
                  </Button>
                }
              />
            )
          }
        />
      )}
    </section>
  );
}

function useColumns({ onEdit, onRemove }: RowActions): ReadonlyArray<Column<Employee>> {
  const { t } = useTranslation();
  const format = useFormat();
  return [
    {
      id: "name",
      header: t("operators.columns.name"),
      card: "title",
      sortValue: fullName,
      cell: (row) => <span className="font-semibold">{fullName(row)}</span>,
    },
    {
      id: "username",
      header: t("operators.columns.username"),
      sortValue: (row) => row.operatorUsername ?? null,
      cell: (row) =>
        row.operatorUsername && (
          <>
            <span className="mr-1.5 inline-flex items-center gap-1.5">
              <span className="font-mono break-all">{row.operatorUsername}</span>
              <CopyUsername username={row.operatorUsername} />
            </span>
            {row.hasPersonalPassword && <Badge>{t("operators.personalPassword")}</Badge>}
          </>
        ),
    },
    {
      id: "created",
      header: t("operators.columns.created"),
      sortValue: (row) => Number(row.createdAt?.seconds ?? 0),
      cell: (row) => row.createdAt && format.instantDay(timestampDate(row.createdAt)),
    },
    {
      id: "actions",
      header: t("operators.columns.actions"),
      card: "actions",
      align: "end",
      cell: (row) => (
        <span className="inline-flex gap-1">
          <Button
            variant="quiet"
            icon
            aria-label={t("operators.form.editName", { name: fullName(row) })}
            onClick={() => onEdit(row)}
          >
            <Pencil aria-hidden className="size-4" />
          </Button>
          <Button
            variant="quiet"
            icon
            aria-label={t("operators.remove.name", { name: fullName(row) })}
            onClick={() => onRemove(row)}
          >
            <Trash2 aria-hidden className="size-4" />
          </Button>
        </span>
      ),
    },
  ];
}
