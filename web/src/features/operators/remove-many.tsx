import { callUnaryMethod } from "@connectrpc/connect-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AccountsService, type Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useReauthTransport } from "#/session/reauth-transport";
import { useWriteTransport } from "#/shared/form/use-write";
import { ManyDialog } from "#/shared/table/many-dialog";
import { toast } from "#/shared/toast/store";
import { useLastReports } from "./last-reports";
import { fullName, useRefreshAccounts } from "./queries";

const activeDays = 30;

/** Removes several operators; each succeeds or fails on its own. */
export function RemoveMany({
  operators,
  onClose,
}: {
  operators: readonly Employee[];
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const transport = useWriteTransport(useReauthTransport());
  const refresh = useRefreshAccounts();
  const lastReports = useLastReports();
  const [since] = useState(() => Date.now() - activeDays * 86_400_000);
  const isActive = ({ id }: Employee) => (lastReports?.get(id)?.getTime() ?? 0) > since;
  return (
    <ManyDialog
      rows={operators}
      nameOf={fullName}
      call={({ id }) => callUnaryMethod(transport, AccountsService.method.deleteEmployee, { id })}
      onRun={(removed) => {
        void refresh();
        if (removed > 0) {
          toast.success(
            t("operators.remove.done"),
            t("operators.removeMany.doneText", { count: removed }),
          );
        }
      }}
      onClose={onClose}
      tone="danger"
      texts={({ length: count }) => ({
        title: t("operators.removeMany.sure", { count }),
        text: t("operators.removeMany.text"),
        confirm: t("operators.removeMany.confirm", { count }),
        failed: (left) => t("operators.removeMany.failed", { count: left }),
        retry: (left) => t("operators.removeMany.retry", { count: left }),
      })}
    >
      {(rows) => {
        const active = rows.filter(isActive).length;
        return (
          <>
            <p className="mt-3 max-h-40 overflow-y-auto wrap-anywhere">
              {rows.map(fullName).join(", ")}
            </p>
            {active > 0 && (
              <p className="mt-2 font-semibold">
                {t("operators.removeMany.active", { count: active, days: activeDays })}
              </p>
            )}
          </>
        );
      }}
    </ManyDialog>
  );
}
