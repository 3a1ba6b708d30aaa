import { useQuery as useCall, useTransport } from "@connectrpc/connect-query";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { SettingsService, type Settings } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import type { GetSmsNumberResponse } from "#/api/gen/hourmeter/notifications/v1/sms_pb";
import { audienceOf } from "#/domain/permissions";
import { useSession } from "#/session/session";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Dialog } from "#/shared/ui/dialog";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { settingsQuery, smsNumberQuery } from "./queries";
import { SettingsTable } from "./settings-table";
import { settingsOf, settingsSchema, settingsValues } from "./settings-schema";

/** Chooses what reaches the person outside of the product. */
export function SettingsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const isOperator = audienceOf(useSession()) === "operator";
  const transport = useTransport();
  // The page may have older ones, and all of them are saved.
  const query = useQuery({ ...settingsQuery(transport), refetchOnMount: "always" });
  const sms = useQuery(smsNumberQuery(transport));
  const person = useCall(AccountsService.method.getCurrentUser, {}, { enabled: !isOperator });
  const settings = query.data?.settings;
  if (settings && query.isFetchedAfterMount && !person.isLoading && !sms.isLoading) {
    return (
      <SettingsForm
        settings={settings}
        isOperator={isOperator}
        // Without the person, the address is not known to be unverified.
        canMail={person.data?.user?.emailVerified !== false}
        sms={sms.data?.available ? sms.data : null}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog open onOpenChange={onClose} title={t("notifications.settings.title")}>
      {query.error ? (
        <ErrorPanel
          title={t("notifications.settings.loadFailed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      ) : (
        <SkeletonRows rows={4} label={t("common.loading")} />
      )}
    </Dialog>
  );
}

function SettingsForm({
  settings,
  isOperator,
  canMail,
  sms,
  onClose,
}: {
  settings: Settings;
  isOperator: boolean;
  canMail: boolean;
  sms: GetSmsNumberResponse | null;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const form = useAppForm(settingsSchema, settingsValues(settings));
  const { control } = form;
  const quiet = form.watch("quiet");
  const client = useQueryClient();
  const { queryKey } = settingsQuery(useTransport());
  const save = useWrite(SettingsService.method.setSettings, {
    onSuccess: () => {
      void client.invalidateQueries({ queryKey });
      toast.success(t("notifications.settings.saved"));
      onClose();
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("notifications.settings.title")}
      onSubmit={form.handleSubmit((values) =>
        save.mutate({ settings: settingsOf(values, sms !== null) }),
      )}
      loading={save.isPending}
      submitError={save.error && errorText(save.error, "notifications.settings.failed")}
      submitLabel={t("notifications.settings.save")}
      pendingLabel={t("notifications.settings.saving")}
    >
      <SettingsTable control={control} isOperator={isOperator} canMail={canMail} sms={sms} />
      <CheckboxField
        control={control}
        name="quiet"
        label={t("notifications.settings.quiet")}
        hint={
          <>
            {isOperator
              ? t("notifications.settings.quietDevicesText")
              : t("notifications.settings.quietText")}
            {sms && <> {t("notifications.settings.quietSms")}</>}
          </>
        }
      />
      {quiet && (
        <div className="grid grid-cols-2 items-start gap-4">
          <TextField
            control={control}
            name="from"
            type="time"
            label={t("notifications.settings.from")}
          />
          <TextField
            control={control}
            name="until"
            type="time"
            label={t("notifications.settings.until")}
          />
        </div>
      )}
    </FormDialog>
  );
}
