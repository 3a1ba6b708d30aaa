import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createConnectQueryKey } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService, type CompanySettings } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { saveFile } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { useFormat } from "#/shared/format/use-format";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Notice } from "#/shared/ui/notice";
import { DeleteCompanyDialog } from "./delete-company-dialog";
import { SettingRow } from "./setting-row";

/** Export and deletion of the company's data; only the owner may change something. */
export function DataCard({ settings, isOwner }: { settings: CompanySettings; isOwner: boolean }) {
  const { t } = useTranslation();
  const dueAt = settings.deletionDueAt && timestampDate(settings.deletionDueAt);
  if (!isOwner && !dueAt) return null;
  return (
    <Card id="data" title={t("settings.data.title")} flush>
      <div className="divide-y divide-line border-t border-line">
        {isOwner && <Export />}
        {dueAt ? (
          <Scheduled dueAt={dueAt} isOwner={isOwner} />
        ) : (
          <Deletion companyName={settings.companyName} />
        )}
      </div>
    </Card>
  );
}

function Export() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const task = useMutation({
    mutationFn: async () => (await import("./company-export")).companyArchive(),
    onSuccess: (archive) => {
      saveFile(`hourmeter-${fileDate(new Date())}.zip`, archive);
      toast.success(t("settings.data.exported"));
    },
    onError: (error) => toast.failure(t("settings.data.exportFailed"), errorText(error)),
  });
  return (
    <SettingRow
      label={t("settings.data.export")}
      text={t("settings.data.exportText")}
      control={
        <Button
          pending={task.isPending}
          pendingLabel={t("settings.data.exporting")}
          onClick={() => task.mutate()}
        >
          {t("settings.data.exportAction")}
        </Button>
      }
    />
  );
}

function Deletion({ companyName }: { companyName: string }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <SettingRow
      label={t("settings.data.delete")}
      text={t("settings.data.deleteText")}
      control={
        <Button variant="danger" onClick={() => setOpen(true)}>
          {t("settings.data.deleteAction")}
        </Button>
      }
    >
      {open && <DeleteCompanyDialog companyName={companyName} onClose={() => setOpen(false)} />}
    </SettingRow>
  );
}

function Scheduled({ dueAt, isOwner }: { dueAt: Date; isOwner: boolean }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const format = useFormat();
  const client = useQueryClient();
  const cancel = useWrite(AccountsService.method.cancelCompanyDeletion, {
    onSuccess: async () => {
      toast.success(t("settings.data.canceled"), t("settings.data.canceledText"));
      await client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: AccountsService, cardinality: undefined }),
      });
    },
    onError: (error) => toast.failure(t("settings.data.cancelFailed"), errorText(error)),
  });
  return (
    <SettingRow
      label={t("settings.data.delete")}
      control={
        isOwner && (
          <Button
            pending={cancel.isPending}
            pendingLabel={t("settings.data.canceling")}
            onClick={() => cancel.mutate({})}
          >
            {t("settings.data.cancelAction")}
          </Button>
        )
      }
    >
      <Notice tone="danger">{t("settings.data.scheduled", { time: format.instant(dueAt) })}</Notice>
    </SettingRow>
  );
}
