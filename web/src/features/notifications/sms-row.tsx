import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { MessageSquareText } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { audienceOf } from "#/domain/permissions";
import { phoneNumberText } from "#/domain/phone-number";
import { useSession } from "#/session/session";
import { useSessionEnded } from "#/session/state";
import { Button } from "#/shared/ui/button";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { settingsQuery, smsNumberQuery } from "./queries";
import { SettingRow } from "./setting-row";
import { smsKinds } from "./sms-kinds";

const SmsDialog = dialogOnDemand(() => import("./sms-dialog").then((module) => module.SmsDialog));
const RemoveSms = dialogOnDemand(() => import("./remove-sms").then((module) => module.RemoveSms));

/** The number that text messages go to, where the installation sends them. */
export function SmsRow() {
  const { t } = useTranslation();
  const ended = useSessionEnded();
  const query = useQuery({ ...smsNumberQuery(useTransport()), enabled: !ended });
  const [open, setOpen] = useState<"change" | "remove" | null>(null);
  const { data, error } = query;
  const number = phoneNumberText(data?.number ?? "");
  const sent = useSentText(number, !ended && data?.verified === true);
  if (ended) return null;
  const title = t("notifications.sms.title");
  if (error && !data) {
    return (
      <SettingRow icon={MessageSquareText} title={title} text={t("notifications.sms.loadFailed")}>
        <Button
          size="small"
          onClick={() => void query.refetch()}
          pending={query.isFetching}
          pendingLabel={t("common.tryingAgain")}
        >
          {t("common.tryAgain")}
        </Button>
      </SettingRow>
    );
  }
  if (!data?.available) return null;
  const { verified } = data;
  const [text, action] = !number
    ? [t("notifications.sms.text"), t("notifications.sms.add")]
    : verified
      ? [sent, t("notifications.sms.change")]
      : [t("notifications.sms.sent", { number }), t("notifications.sms.enter")];
  const close = () => setOpen(null);
  return (
    <SettingRow icon={MessageSquareText} title={title} text={text}>
      {/* One button for all states, so that it keeps the focus. */}
      <Button size="small" onClick={() => setOpen("change")}>
        {action}
      </Button>
      {number && (
        <Button size="small" variant="quiet" onClick={() => setOpen("remove")}>
          {t("notifications.sms.remove")}
        </Button>
      )}
      {open === "change" && <SmsDialog number={number} verified={verified} onClose={close} />}
      {open === "remove" && <RemoveSms number={number} onClose={close} />}
    </SettingRow>
  );
}

/** The verified number and what is sent there. */
function useSentText(number: string, verified: boolean): string {
  const { t } = useTranslation();
  const isOperator = audienceOf(useSession()) === "operator";
  const query = useQuery({ ...settingsQuery(useTransport()), enabled: verified });
  const settings = query.data?.settings;
  if (!settings) return number;
  const kinds = smsKinds(isOperator).filter(({ name }) => settings[name]);
  if (kinds.length === 0) return t("notifications.sms.none", { number });
  return [number, ...kinds.map(({ label }) => t(label))].join(" · ");
}
