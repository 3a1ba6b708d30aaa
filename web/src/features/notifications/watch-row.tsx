import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { watchQuery } from "#/api/watch";
import { useSessionEnded } from "#/session/state";
import { Button } from "#/shared/ui/button";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { SettingRow } from "./setting-row";
import { useWatchText } from "./use-watch-text";

const WatchDialog = dialogOnDemand(() =>
  import("./watch-dialog").then((module) => module.WatchDialog),
);

/** Of which machines the person is notified. */
export function WatchRow() {
  const { t } = useTranslation();
  const ended = useSessionEnded();
  const query = useQuery({ ...watchQuery(useTransport()), enabled: !ended });
  const text = useWatchText();
  const [choosing, setChoosing] = useState(false);
  if (ended) return null;
  const { data, error } = query;
  const title = t("notifications.watch.title");
  if (error && !data) {
    return (
      <SettingRow icon={Eye} title={title} text={t("notifications.watch.loadFailed")}>
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
  return (
    <SettingRow icon={Eye} title={title} text={data ? text(data.watch) : t("common.loading")}>
      {data && (
        <Button size="small" onClick={() => setChoosing(true)}>
          {t("notifications.watch.change")}
        </Button>
      )}
      {data && choosing && <WatchDialog watch={data.watch} onClose={() => setChoosing(false)} />}
    </SettingRow>
  );
}
