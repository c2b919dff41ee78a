x = """
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: web
spec:
  backend:
    serviceName: web  # the front
    servicePort: 80
"""

y = f"""
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: # {{x}}
  name: {name}
spec:
  backend:
    serviceName: web  # the front
    servicePort: {port}
"""
z = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata:\n  name: web\nspec:\n  backend:\n    serviceName: web  # the front\n    servicePort: 80"
w = f'{{"apiVersion": "networking.k8s.io/v1beta1", "kind": "Ingress", "metadata": {{"name": "{name}"}}, "spec": {{"backend": {{"serviceName": "a", "servicePort": 80}}}}}}'
d = {'apiVersion': 'networking.k8s.io/v1beta1', 'kind': 'Ingress', 'metadata': {'name': 'x'}, 'spec': {'backend': {'serviceName': 'a', 'servicePort': 80}}}
