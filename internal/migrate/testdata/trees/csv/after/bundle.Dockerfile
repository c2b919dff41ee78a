FROM scratch
LABEL com.ibm.component="queue" url="https://github.ibm.com/queue"
COPY manifests/workload.codeflare.dev_appwrappers.yaml manifests/quota.codeflare.dev_quotasubtrees.crd.yaml /manifests/
