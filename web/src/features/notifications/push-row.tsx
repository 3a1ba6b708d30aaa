import { useTransport } from "@connectrpc/connect-query";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { BellRing } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { PushService } from "#/api/gen/hourmeter/notifications/v1/push_pb";
import { audienceOf } from "#/domain/permissions";
import { currentLanguage } from "#/i18n";
import { useSession } from "#/session/session";
import { useSessionEnded } from "#/session/state";
import { useWrite } from "#/shared/form/use-write";
import { installWay } from "#/shared/install/install-way";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { isPushSupported, turnOffPush, turnOnPush } from "./push";
import { PushKeeper } from "./push-keeper";
import { pushKeyQuery, pushStateQuery } from "./queries";
import { SettingRow } from "./setting-row";

/** The choice whether this browser shows notifications, also while the product is closed. */
export function PushRow() {
  const { t } = useTranslation();
  const user = useSession();
  const ended = useSessionEnded();
  const supported = isPushSupported();
  const enabled = user !== null && !ended && (supported || isIosBrowser());
  const key = useQuery({ ...pushKeyQuery(useTransport()), enabled }).data?.publicKey;
  if (!enabled || !key) return null;
  if (supported) return <DeviceRow userId={user.id} publicKey={key} />;
  return <Row text={t("notifications.device.ios")} />;
}

/** On iOS only an app on the home screen has notifications. */
const isIosBrowser = () =>
  installWay({
    standalone: window.matchMedia("(display-mode: standalone)").matches,
    canPrompt: false,
    userAgent: navigator.userAgent,
    touchPoints: navigator.maxTouchPoints,
  }) === "ios";

function DeviceRow({ userId, publicKey }: { userId: string; publicKey: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const client = useQueryClient();
  const isOperator = audienceOf(useSession()) === "operator";
  const query = pushStateQuery(userId);
  const { data: state } = useQuery(query);
  const turn = useMutation({
    mutationFn: (on: boolean) =>
      on ? turnOnPush(transport, userId, currentLanguage(), publicKey) : turnOffPush(transport),
    onError: (error, on) =>
      toast.failure(
        on ? t("notifications.device.onFailed") : t("notifications.device.offFailed"),
        errorText(error, "notifications.device.refused"),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: query.queryKey }),
  });
  if (!state) return null;
  if (state === "denied") return <Row text={t("notifications.device.denied")} />;
  const isOn = state === "on";
  const purpose = isOperator
    ? t("notifications.device.operator")
    : t("notifications.device.manager");
  return (
    <Row text={isOn ? t("notifications.device.on") : purpose}>
      <PushKeeper />
      {/* The button that turns it on and off stays the same, and keeps the focus. */}
      {isOn && <SendTest />}
      <Button
        size="small"
        variant={isOn ? "quiet" : "secondary"}
        onClick={() => turn.mutate(!isOn)}
        pending={turn.isPending}
      >
        {isOn ? t("notifications.device.turnOff") : t("notifications.device.turnOn")}
      </Button>
    </Row>
  );
}

function SendTest() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const send = useWrite(PushService.method.sendTestPush, {
    onSuccess: () => toast.success(t("notifications.device.tested")),
    onError: (error) => toast.failure(t("notifications.device.testFailed"), errorText(error)),
  });
  return (
    <Button size="small" onClick={() => send.mutate({})} pending={send.isPending}>
      {t("notifications.device.test")}
    </Button>
  );
}

function Row({ text, children }: { text: string; children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <SettingRow icon={BellRing} title={t("notifications.device.title")} text={text}>
      {children}
    </SettingRow>
  );
}
