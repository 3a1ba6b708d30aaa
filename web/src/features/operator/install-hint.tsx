import { Smartphone } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { promptInstall, useInstallWay } from "#/shared/install/install-store";
import type { InstallWay } from "#/shared/install/install-way";
import { Button } from "#/shared/ui/button";
import { useDevice } from "./send/device-state";
import type { OperatorPageState } from "./use-operator-page";
import { useOutboxState } from "./send/outbox-state";

const laterKey = "install-hint-later";

/**
 * Browsers may clear the storage of a page (Safari after some weeks), but not that of an installed
 * app.
 */
export function InstallHint({ page }: { page: OperatorPageState }) {
  const { t } = useTranslation();
  const { persistent, installed, others } = useDevice();
  const { entries, unreadable, listed } = useOutboxState(page.outbox);
  const way = useInstallWay();
  const [later, setLater] = useState(() => localStorage.getItem(laterKey) !== null);
  if (persistent === true || installed || way === "installed" || later) return null;
  // On iOS an installed app has separate storage, so unsent entries would stay in the browser.
  const leavesBehind = entries.length + unreadable + others.length > 0 || !listed;
  const steps = way === "ios" && leavesBehind ? key("phone.install.sendFirst") : stepsFor(way);
  return (
    <section
      aria-label={t("phone.install.title")}
      className="mt-6 flex gap-3 rounded-card border border-line bg-raised p-4"
    >
      <Smartphone aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{t("phone.install.title")}</p>
        <p className="mt-0.5 text-sm text-muted">{t("phone.install.text")}</p>
        {steps && <p className="mt-2 text-sm">{t(steps)}</p>}
        <div className="mt-3 flex flex-wrap gap-2">
          {way === "prompt" && (
            <Button onClick={() => void promptInstall()}>{t("phone.install.button")}</Button>
          )}
          <Button
            variant={way === "prompt" ? "quiet" : "secondary"}
            onClick={() => {
              localStorage.setItem(laterKey, "1");
              setLater(true);
            }}
          >
            {t("phone.install.later")}
          </Button>
        </div>
      </div>
    </section>
  );
}

/** Null when the browser offers an install prompt. */
function stepsFor(way: Exclude<InstallWay, "installed">): TextKey | null {
  switch (way) {
    case "prompt":
      return null;
    case "ios":
      return key("phone.install.ios");
    case "android":
      return key("phone.install.android");
    case "mac":
      return key("phone.install.mac");
    case "desktop":
      return key("phone.install.desktop");
  }
}
