import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/query-client";
import { createTransport } from "./api/transport";
import { Providers } from "./app/providers";
import "./i18n";
import { createAppRouter } from "./router";
import "./styles/index.css";

const queryClient = createQueryClient();
const transport = createTransport(window.location.origin);
const router = createAppRouter({ queryClient, transport });

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <Providers queryClient={queryClient} transport={transport}>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);
