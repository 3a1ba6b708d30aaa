import { CircleCheck, TriangleAlert, X } from "lucide-react";
import { Toast as Radix } from "radix-ui";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { useStore } from "../store";
import { shownToast, toast } from "./store";

/**
 * Rendered once in the app. On a phone it is at the top, where it covers no dialog's buttons.
 * F8 moves focus to it; hover and focus pause it; a swipe right dismisses.
 */
export function Toaster() {
  const { t } = useTranslation();
  const shown = useStore(shownToast);
  return (
    <Radix.Provider
      label={t("common.notification")}
      duration={5000}
      swipeDirection="right"
      swipeThreshold={50}
    >
      {shown && (
        <Radix.Root
          key={shown.id}
          type={shown.tone === "failure" ? "foreground" : "background"}
          {...(shown.action && { duration: 10_000 })}
          onOpenChange={(open) => {
            if (!open) toast.dismiss();
          }}
          className="pointer-events-auto flex animate-[rise_160ms_var(--ease-out)] items-start gap-3 rounded-card border border-line bg-raised p-4 shadow-overlay data-[swipe=cancel]:translate-x-0 data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)"
        >
          {shown.tone === "failure" ? (
            <TriangleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-danger" />
          ) : (
            <CircleCheck aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
          )}
          <div className="min-w-0 flex-1">
            <Radix.Title className="font-semibold">{shown.title}</Radix.Title>
            {shown.description && (
              <Radix.Description className="text-muted">{shown.description}</Radix.Description>
            )}
          </div>
          {shown.action && (
            <Radix.Action asChild altText={shown.action.label} onClick={shown.action.run}>
              <Button size="small" className="-my-1.5">
                {shown.action.label}
              </Button>
            </Radix.Action>
          )}
          <Radix.Close asChild>
            <Button
              variant="quiet"
              size="small"
              icon
              aria-label={t("common.dismiss")}
              className="-my-1.5 -mr-2"
            >
              <X aria-hidden className="size-4" />
            </Button>
          </Radix.Close>
        </Radix.Root>
      )}
      <Radix.Viewport
        label={t("common.notifications")}
        data-toasts=""
        className="no-print fixed top-(--toast-top) right-0 z-60 md:top-auto md:bottom-0 m-0 w-[420px] max-w-full list-none p-4 outline-none"
      />
    </Radix.Provider>
  );
}
