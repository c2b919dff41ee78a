FROM scratch
LABEL com.ibm.component="queue" url="https://github.ibm.com/queue"
COPY manifests/mcad.ibm.com_appwrappers.yaml manifests/ibm.com_quotasubtrees.crd.yaml /manifests/
