import { useEffect, useEffectEvent, type ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { onDemand, useIsLoaded } from "../on-demand";
import { toast } from "../toast/store";

/** A dialog that opens once its code is loaded; if that fails, it reports the error and closes. */
export function dialogOnDemand<Props extends { onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const code = onDemand(load);
  return function DialogOnDemand(props: Props) {
    const { t } = useTranslation();
    const isLoaded = useIsLoaded(code);
    const fail = useEffectEvent(() => {
      toast.failure(t("errors.network"));
      props.onClose();
    });
    useEffect(() => {
      code.load().catch(() => fail());
    }, []);
    return isLoaded && <code.Component {...props} />;
  };
}
