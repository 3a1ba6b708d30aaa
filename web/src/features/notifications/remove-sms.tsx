import { useTransport } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { SmsService } from "#/api/gen/hourmeter/notifications/v1/sms_pb";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { smsNumberQuery } from "./queries";

export function RemoveSms({ number, onClose }: { number: string; onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const { queryKey } = smsNumberQuery(useTransport());
  const remove = useWrite(SmsService.method.removeSmsNumber, {
    onSuccess: () => {
      void client.invalidateQueries({ queryKey });
      toast.success(t("notifications.sms.removed"));
      onClose();
    },
    onError: (error) => toast.failure(t("notifications.sms.removeFailed"), errorText(error)),
  });
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("notifications.sms.removeTitle")}
      description={t("notifications.sms.removeText", { number })}
      confirmLabel={t("notifications.sms.remove")}
      pendingLabel={t("notifications.sms.removing")}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({})}
    />
  );
}
