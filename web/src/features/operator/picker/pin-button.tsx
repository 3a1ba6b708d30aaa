import { clsx } from "clsx";
import { Star } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";

/** Pins a machine to the top of all lists on this device. */
export function PinButton({
  name,
  pinned,
  onToggle,
}: {
  name: string;
  pinned: boolean;
  onToggle: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Button
      variant="quiet"
      icon
      aria-pressed={pinned}
      aria-label={t("operator.picker.pin", { name })}
      onClick={onToggle}
    >
      <Star
        aria-hidden
        className={clsx("size-6", pinned ? "fill-accent text-accent" : "text-muted")}
      />
    </Button>
  );
}
