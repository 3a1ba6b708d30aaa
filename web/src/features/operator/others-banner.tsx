import { Users } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Banner } from "./banner";
import { useDevice } from "./send/device-state";

/** Shows unsent entries of other users on a shared phone. */
export function OthersBanner() {
  const { t } = useTranslation();
  const { others } = useDevice();
  return others.map(({ userId, username, operatorName, unsent, isEnrolled }) => {
    const name = operatorName ?? username;
    return (
      <Banner
        key={userId}
        icon={<Users aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />}
      >
        {isEnrolled
          ? t("device.waitingSignal", { count: unsent, name })
          : name === null
            ? t("device.waitingHereUnknown", { count: unsent })
            : t("device.waitingHere", { count: unsent, name })}
      </Banner>
    );
  });
}
