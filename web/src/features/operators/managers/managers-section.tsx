import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { UseQueryResult } from "@tanstack/react-query";
import { KeyRound, Pencil, ShieldOff, Trash2, UserPlus } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import {
  Role,
  type Employee,
  type ListEmployeesResponse,
} from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useSession } from "#/session/session";
import { useRoleLabel } from "#/shared/words/role-label";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";
import { DataTable } from "#/shared/table/data-table";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { managersOf, personName } from "../queries";

interface ManagerActions {
  onEdit: (manager: Employee) => void;
  onReset: (manager: Employee) => void;
  onRemove: (manager: Employee) => void;
  onResetFactor: (manager: Employee) => void;
  /** Why people can't be added or edited now. */
  blocked: string | undefined;
}

/** The owner and managers; only the owner can change them. */
export function ManagersSection({
  people,
  onAdd,
  ...actions
}: ManagerActions & {
  people: UseQueryResult<ListEmployeesResponse>;
  onAdd: () => void;
}) {
  const { t } = useTranslation();
  const self = useSession();
  const isOwner = self?.role === "owner";
  const rows = useMemo(() => people.data && managersOf(people.data.employees), [people.data]);
  const columns = useManagerColumns({ ...actions, selfId: self?.id, isOwner });
  // The operators section above already shows the loading error.
  if (people.error && !rows) return null;
  return (
    <section aria-labelledby="managers-heading" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-80">
          <h2 id="managers-heading" tabIndex={-1} className="text-lg font-semibold outline-none">
            {t("operators.managers.heading")}
          </h2>
          <p className="mt-0.5 max-w-prose text-sm text-muted">
            {t("operators.managers.text")}{" "}
            {isOwner ? t("operators.managers.textOwner") : t("operators.managers.textManager")}
          </p>
        </div>
        {isOwner && (
          <Button disabledReason={actions.blocked} onClick={onAdd}>
            <UserPlus aria-hidden className="size-4" />
            {t("operators.managers.add")}
          </Button>
        )}
      </div>
      {rows ? (
        <DataTable
          label={t("operators.managers.heading")}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          tableFrom={720}
          empty={null}
        />
      ) : (
        <div className="rounded-card border border-line bg-raised">
          <SkeletonRows rows={2} label={t("common.loading")} />
        </div>
      )}
    </section>
  );
}

function useManagerColumns({
  selfId,
  isOwner,
  onEdit,
  onReset,
  onRemove,
  onResetFactor,
  blocked,
}: ManagerActions & { selfId: string | undefined; isOwner: boolean }): ReadonlyArray<
  Column<Employee>
> {
  const { t } = useTranslation();
  const format = useFormat();
  const roleLabel = useRoleLabel();
  return useMemo(() => {
    const facts: Array<Column<Employee>> = [
      {
        id: "name",
        header: t("operators.columns.name"),
        card: "title",
        cell: (row) => (
          <span className="inline-flex max-w-full flex-wrap items-center gap-x-2 gap-y-1">
            <span dir="auto" className="min-w-0 font-semibold wrap-anywhere">
              {personName(row)}
            </span>
            {row.id === selfId && <Badge tone="accent">{t("operators.managers.you")}</Badge>}
          </span>
        ),
      },
      {
        id: "role",
        header: t("operators.managers.role"),
        card: "badge",
        cardCell: (row) => (
          <Badge>{roleLabel(row.role === Role.OWNER ? "owner" : "manager")}</Badge>
        ),
        cell: (row) => roleLabel(row.role === Role.OWNER ? "owner" : "manager"),
      },
      {
        id: "email",
        header: t("operators.managers.email"),
        card: "line",
        cell: (row) => <span className="wrap-anywhere">{row.email}</span>,
      },
      {
        id: "created",
        header: t("operators.columns.created"),
        cell: (row) =>
          row.createdAt && (
            <span className="whitespace-nowrap">
              {format.instantDay(timestampDate(row.createdAt))}
            </span>
          ),
      },
    ];
    if (!isOwner) return facts;
    return [
      ...facts,
      {
        id: "actions",
        header: t("operators.columns.actions"),
        card: "actions",
        align: "end",
        cell: (row) =>
          row.role === Role.MANAGER && (
            <span className="inline-flex gap-1">
              <Button
                variant="quiet"
                icon
                aria-label={t("operators.form.editName", { name: personName(row) })}
                disabledReason={blocked}
                onClick={() => onEdit(row)}
              >
                <Pencil aria-hidden className="size-4" />
              </Button>
              <Button
                variant="quiet"
                icon
                aria-label={t("admin-tools.resetOf", { name: personName(row) })}
                onClick={() => onReset(row)}
              >
                <KeyRound aria-hidden className="size-4" />
              </Button>
              {row.secondFactor && (
                <Button
                  variant="quiet"
                  icon
                  aria-label={t("operators.managers.factorResetName", { name: personName(row) })}
                  onClick={() => onResetFactor(row)}
                >
                  <ShieldOff aria-hidden className="size-4" />
                </Button>
              )}
              <Button
                variant="quiet"
                icon
                aria-label={t("operators.remove.name", { name: personName(row) })}
                onClick={() => onRemove(row)}
              >
                <Trash2 aria-hidden className="size-4" />
              </Button>
            </span>
          ),
      },
    ];
  }, [t, format, roleLabel, selfId, isOwner, onEdit, onReset, onRemove, onResetFactor, blocked]);
}
